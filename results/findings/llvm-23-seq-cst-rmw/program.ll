target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @P0(ptr %x, ptr %y, ptr %o0, ptr %flag) {
  %r0 = atomicrmw xchg ptr %x, i32 2 syncscope("device") seq_cst
  store i32 %r0, ptr %o0
  %g0 = icmp eq i32 %r0, 1
  br i1 %g0, label %go0, label %done
go0:
  store atomic i32 3, ptr %x syncscope("device") monotonic, align 4
  br label %done
done:
  ret void
}
define ptx_kernel void @P1(ptr %x, ptr %y, ptr %flag) {
  store i32 1, ptr %y, align 4
  store atomic i32 1, ptr %x syncscope("device") release, align 4
  br label %done
done:
  ret void
}
define ptx_kernel void @P2(ptr %x, ptr %y, ptr %o4, ptr %o5, ptr %flag) {
  %r4 = load atomic i32, ptr %x syncscope("device") acquire, align 4
  store i32 %r4, ptr %o4
  %g4 = icmp eq i32 %r4, 3
  br i1 %g4, label %go4, label %done
go4:
  %r5 = load i32, ptr %y, align 4
  store i32 %r5, ptr %o5
  br label %done
done:
  ret void
}
