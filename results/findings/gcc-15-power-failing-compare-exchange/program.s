	.file	"program.c"
	.machine power8
	.machine altivec
	.abiversion 2
	.section	".text"
	.align 2
	.p2align 4,,15
	.globl P0
	.type	P0, @function
P0:
.LFB0:
	.cfi_startproc
	li %r9,1
	stw %r9,0(%r3)
	lwsync
	stw %r9,0(%r4)
	blr
	.long 0
	.byte 0,0,0,0,0,0,0,0
	.cfi_endproc
.LFE0:
	.size	P0,.-P0
	.align 2
	.p2align 4,,15
	.globl P1
	.type	P1, @function
P1:
.LFB1:
	.cfi_startproc
	lwsync
	li %r10,9
.L4:
	lwarx %r9,0,%r4,0
	cmpwi %cr0,%r9,8
	bne %cr0,.L5
	stwcx. %r10,0,%r4
	bne %cr0,.L4
.L5:
	mfcr %r10,128
	rlwinm %r10,%r10,3,1
	cmpwi %cr7,%r9,1
	stb %r10,0(%r7)
	stw %r9,0(%r5)
	bnelr %cr7
	lwz %r9,0(%r3)
	stw %r9,0(%r6)
	blr
	.long 0
	.byte 0,0,0,0,0,0,0,0
	.cfi_endproc
.LFE1:
	.size	P1,.-P1
	.ident	"GCC: (Debian 15.3.0-4) 15.3.0"
	.section	.note.GNU-stack,"",@progbits
