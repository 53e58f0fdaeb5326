import { defineCommand } from './command.ts'

export const openChannel = defineCommand('open-channel', {
  isRun: false,
  async take({ channel: id, tool }, { remote, openParts, dataFolder, log, payload }) {
    if (tool.tool === 'terminal') return remote.terminals.open({ channel: id, tool }, payload.author)
    if (tool.tool === 'desktop') return remote.desktops.open({ channel: id, tool })
    const channel = remote.channels.open(id)
    if ('code' in channel) return
    const { serveFiles } = await import('../files/serve-files.ts')
    await serveFiles(channel, tool.order, { openParts, dataFolder, log })
  },
})
