target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @P0(ptr %x, ptr %o0, ptr %flag) {
  %r0.pair = cmpxchg ptr %x, i32 2, i32 1 monotonic monotonic
  %r0.ok = extractvalue { i32, i1 } %r0.pair, 1
  store i1 %r0.ok, ptr %flag
  %r0 = extractvalue { i32, i1 } %r0.pair, 0
  store i32 %r0, ptr %o0
  br label %done
done:
  ret void
}
define ptx_kernel void @P1(ptr %x, ptr %flag) {
  store atomic i32 2, ptr %x monotonic, align 4
  br label %done
done:
  ret void
}
