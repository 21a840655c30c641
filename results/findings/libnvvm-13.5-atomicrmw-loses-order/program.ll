target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
!nvvmir.version = !{!0}
!0 = !{i32 2, i32 0}
define void @P0(i8* %x, i8* %y, i8* %o0, i8* %o1, i8* %flag) {
  %r0.p = bitcast i8* %x to i32*
  %r0 = atomicrmw xchg i32* %r0.p, i32 2 syncscope("device") acquire
  %r0.out = bitcast i8* %o0 to i32*
  store i32 %r0, i32* %r0.out
  %g0 = icmp eq i32 %r0, 1
  br i1 %g0, label %go0, label %done
go0:
  %r1.p = bitcast i8* %y to i32*
  %r1 = load i32, i32* %r1.p, align 4
  %r1.out = bitcast i8* %o1 to i32*
  store i32 %r1, i32* %r1.out
  br label %done
done:
  ret void
}
define void @P1(i8* %x, i8* %y, i8* %o3, i8* %flag) {
  %r2.p = bitcast i8* %y to i32*
  store i32 1, i32* %r2.p, align 4
  %r3.p = bitcast i8* %x to i32*
  %r3 = atomicrmw xchg i32* %r3.p, i32 1 syncscope("device") release
  %r3.out = bitcast i8* %o3 to i32*
  store i32 %r3, i32* %r3.out
  br label %done
done:
  ret void
}
