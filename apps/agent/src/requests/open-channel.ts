import { defineCommand } from './command.ts'

export const openChannel = defineCommand('open-channel', {
  isRun: false,
  async take(
    { channel: id, tool, person, purpose, recorded = false },
    { remote, openParts, os, dataFolder, log, payload },
  ) {
    const channel = remote.channels.open(id)
    if ('code' in channel) return
    if (tool.tool === 'log') {
      const { serveLog } = await import('../remote/logs/serve-log.ts')
      return serveLog(channel, tool.source, { os, dataFolder, log })
    }
    if (tool.tool !== 'files')
      return remote.open(channel, tool, { author: payload.author, person, purpose, recorded })
    const { serveFiles } = await import('../remote/files/serve-files.ts')
    await serveFiles(channel, tool.order, { openParts, dataFolder, log })
  },
})
