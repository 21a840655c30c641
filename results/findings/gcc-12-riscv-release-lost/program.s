	.file	"program.c"
	.option pic
	.attribute arch, "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0"
	.attribute unaligned_access, 0
	.attribute stack_align, 16
	.text
	.align	1
	.globl	P0
	.type	P0, @function
P0:
	li	a5,1
	sw	a5,0(a0)
	 1: lr.w a4,0(a1); bne a4,zero,1f; sc.w a0,a5,0(a1); bnez a0,1b; 1:
	sext.w	a5,a4
	seqz	a5,a5
	sb	a5,0(a3)
	sw	a4,0(a2)
	ret
	.size	P0, .-P0
	.align	1
	.globl	P1
	.type	P1, @function
P1:
	lw	a5,0(a1)
	fence	iorw,iorw
	li	a4,1
	sw	a5,0(a2)
	bne	a5,a4,.L3
	lw	a5,0(a0)
	sw	a5,0(a3)
.L3:
	ret
	.size	P1, .-P1
	.ident	"GCC: (Debian 12.2.0-13) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
