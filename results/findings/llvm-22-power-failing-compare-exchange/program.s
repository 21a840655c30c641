	.abiversion 2
	.file	"program.c"
	.text
	.globl	P0                              # -- Begin function P0
	.p2align	4
	.type	P0,@function
P0:                                     # @P0
.Lfunc_begin0:
	.cfi_startproc
# %bb.0:
	li 7, 1
	sync
	stw 7, 0(3)
	lwarx 3, 0, 4
	cmplwi	3, 7
	bne-	0, .LBB0_4
# %bb.1:
	sync
	li 7, 8
.LBB0_2:                                # =>This Inner Loop Header: Depth=1
	stwcx. 7, 0, 4
	beq+	0, .LBB0_5
# %bb.3:                                #   in Loop: Header=BB0_2 Depth=1
	lwarx 3, 0, 4
	cmplwi	3, 7
	beq+	0, .LBB0_2
.LBB0_4:
	lwsync
	crxor 20, 20, 20
	b .LBB0_6
.LBB0_5:
	lwsync
	creqv 20, 20, 20
.LBB0_6:
	li 4, 0
	li 7, 1
	isel 4, 7, 4, 20
	stb 4, 0(6)
	stw 3, 0(5)
	blr
	.long	0
	.quad	0
.Lfunc_end0:
	.size	P0, .Lfunc_end0-.Lfunc_begin0
	.cfi_endproc
                                        # -- End function
	.globl	P1                              # -- Begin function P1
	.p2align	4
	.type	P1,@function
P1:                                     # @P1
.Lfunc_begin1:
	.cfi_startproc
# %bb.0:
	li 6, 1
	sync
	stw 6, 0(4)
	sync
	lwz 3, 0(3)
	cmpd 7, 3, 3
	bne- 7, .+4
	isync
	stw 3, 0(5)
	blr
	.long	0
	.quad	0
.Lfunc_end1:
	.size	P1, .Lfunc_end1-.Lfunc_begin1
	.cfi_endproc
                                        # -- End function
	.ident	"Debian clang version 22.1.8 (3)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
