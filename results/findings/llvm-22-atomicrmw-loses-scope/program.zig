export fn P0(x: *anyopaque, o0: *anyopaque, flag: *anyopaque) callconv(.nvptx_kernel) void {
    _ = .{ x, o0, flag };
    const r0 = @atomicRmw(i32, @as(*i32, @ptrCast(@alignCast(x))), .Xchg, 1, .monotonic);
    @as(*i32, @ptrCast(@alignCast(o0))).* = r0;
}
export fn P1(x: *anyopaque, flag: *anyopaque) callconv(.nvptx_kernel) void {
    _ = .{ x, flag };
    @atomicStore(i32, @as(*i32, @ptrCast(@alignCast(x))), 2, .monotonic);
}
