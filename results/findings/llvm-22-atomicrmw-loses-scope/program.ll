target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @P0(ptr %x, ptr %o0, ptr %flag) {
  %r0 = atomicrmw xchg ptr %x, i32 1 monotonic
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
