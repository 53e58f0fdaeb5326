// Loaded into the server by start.mjs: when that program is killed without a chance to pass a signal on, its end of
// the channel closes, and the server stops in order instead of staying behind with the port.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
