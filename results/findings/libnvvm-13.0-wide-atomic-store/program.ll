target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
!nvvmir.version = !{!0}
!0 = !{i32 2, i32 0}
define void @P0(i8* %x, i8* %o0, i8* %flag) {
  %r0.p = bitcast i8* %x to i128*
  %r0 = atomicrmw xchg i128* %r0.p, i128 1 syncscope("device") monotonic
  %r0.out = bitcast i8* %o0 to i128*
  store i128 %r0, i128* %r0.out
  br label %done
done:
  ret void
}
define void @P1(i8* %x, i8* %flag) {
  %r1.p = bitcast i8* %x to i128*
  store atomic i128 2, i128* %r1.p syncscope("device") monotonic, align 16
  br label %done
done:
  ret void
}
