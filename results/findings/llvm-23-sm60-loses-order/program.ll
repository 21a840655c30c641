target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @P0(ptr %x, ptr %y, ptr %o1, ptr %flag) {
  store i32 1, ptr %x, align 4
  %r1 = atomicrmw xchg ptr %y, i32 1 syncscope("device") release
  store i32 %r1, ptr %o1
  br label %done
done:
  ret void
}
define ptx_kernel void @P1(ptr %x, ptr %y, ptr %o2, ptr %o3, ptr %flag) {
  %r2.pair = cmpxchg ptr %y, i32 8, i32 9 syncscope("device") acquire acquire
  %r2.ok = extractvalue { i32, i1 } %r2.pair, 1
  store i1 %r2.ok, ptr %flag
  %r2 = extractvalue { i32, i1 } %r2.pair, 0
  store i32 %r2, ptr %o2
  %g2 = icmp eq i32 %r2, 1
  br i1 %g2, label %go2, label %done
go2:
  %r3 = load i32, ptr %x, align 4
  store i32 %r3, ptr %o3
  br label %done
done:
  ret void
}
