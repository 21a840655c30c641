target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @P0(ptr %x, ptr %y, ptr %o0, ptr %o1, ptr %flag) {
  %r0.pair = cmpxchg ptr %x, i32 1, i32 2 syncscope("device") acquire acquire
  %r0.ok = extractvalue { i32, i1 } %r0.pair, 1
  store i1 %r0.ok, ptr %flag
  %r0 = extractvalue { i32, i1 } %r0.pair, 0
  store i32 %r0, ptr %o0
  %g0 = icmp eq i32 %r0, 1
  br i1 %g0, label %go0, label %done
go0:
  %r1 = load i32, ptr %y, align 4
  store i32 %r1, ptr %o1
  br label %done
done:
  ret void
}
define ptx_kernel void @P1(ptr %x, ptr %y, ptr %o3, ptr %flag) {
  store i32 1, ptr %y, align 4
  %r3.pair = cmpxchg ptr %x, i32 0, i32 1 syncscope("device") release monotonic
  %r3.ok = extractvalue { i32, i1 } %r3.pair, 1
  store i1 %r3.ok, ptr %flag
  %r3 = extractvalue { i32, i1 } %r3.pair, 0
  store i32 %r3, ptr %o3
  br label %done
done:
  ret void
}
