import type { CommandName } from '@muster/contract/agent/commands'
import { defineCommand, defineRequest } from './command.ts'

const files = () => import('../remote/files/upload-part.ts')

export const beginUpload = defineRequest('begin-upload', async (input, { dataFolder, openParts }) =>
  (await files()).beginUpload(input, { dataFolder, openParts }),
)

export const lookAtUpload = defineRequest('look-at-upload', async (input, { dataFolder }) =>
  (await files()).lookAtUpload(input, dataFolder),
)

export const dropUpload = defineRequest('drop-upload', async (input, { dataFolder, openParts }) =>
  (await files()).dropUpload(input, { dataFolder, openParts }),
)

export const writeText = defineRequest('write-text', async (input, surroundings) => {
  const files = await import('../remote/files/text-file.ts')
  return files.writeText(input, surroundings)
})

export const readText = defineRequest('read-text', async ({ path }, { dataFolder }) => {
  const files = await import('../remote/files/text-file.ts')
  return files.readText(path, dataFolder)
})

export const findText = defineRequest('find-text', async ({ path }, { dataFolder }) => {
  const files = await import('../remote/files/put-text.ts')
  return files.findText(path, dataFolder)
})

export const putText = defineRequest('put-text', async (input, surroundings) => {
  const files = await import('../remote/files/put-text.ts')
  return files.putText(input, surroundings)
})

export const undoPush = defineRequest('undo-push', async ({ job }, surroundings) => {
  const files = await import('../remote/files/push-file.ts')
  return files.undoPush(job, surroundings)
})

export const readFileAccess = defineRequest('read-file-access', async ({ path }, { dataFolder }) => {
  const { readAccess } = await import('../remote/files/windows-rights.ts')
  return readAccess(path, dataFolder)
})

export const changeFile = defineRequest('change-file', async (input, { dataFolder }) => {
  const files = await import('../remote/files/change-file.ts')
  return files.changeFile(input, dataFolder)
})

export const listFolder = defineRequest('list-folder', async (input, { dataFolder }) => {
  const files = await import('../remote/files/list-folder.ts')
  return files.listFolder(input, dataFolder)
})

/**
 * Commands of remote tools, which the remote rules may deny. Ending sessions, cleaning up and watching metrics stay
 * allowed.
 */
export const REMOTE_COMMANDS: ReadonlySet<CommandName> = new Set<CommandName>([
  'open-channel',
  'list-folder',
  'change-file',
  'read-text',
  'read-file-access',
  'write-text',
  'find-text',
  'put-text',
  'push-file',
  'undo-push',
  'begin-upload',
  'look-at-upload',
  'end-process',
  'set-priority',
  'list-shells',
  'list-services',
  'control-service',
  'set-start-type',
  'list-system-tasks',
  'change-system-task',
  'read-service-log',
  'read-log',
  'read-registry-key',
  'read-registry-value',
  'find-registry-value',
  'change-registry',
])

export const listShells = defineRequest('list-shells', async (_, { os }) => {
  const { describeShells } = await import('../remote/terminal/shells.ts')
  return describeShells(os)
})

export const setRemoteRules = defineCommand('set-remote-rules', {
  isRun: false,
  take: (input, { remote }) => remote.gate.set(input),
})

export const endSession = defineCommand('end-session', {
  isRun: false,
  take: ({ session }, { remote, payload }) => remote.end(session, `Ended by ${payload.author}.`),
})

export const openChannel = defineCommand('open-channel', {
  isRun: false,
  async take(
    { channel: id, tool, person, purpose: reason, recorded = false },
    { remote, openParts, os, dataFolder, log, payload },
  ) {
    const channel = remote.channels.open(id)
    if ('code' in channel) return
    if (tool.tool === 'log') {
      const { serveLog } = await import('../remote/logs/serve-log.ts')
      return serveLog(channel, tool.source, { os, dataFolder, log })
    }
    if (tool.tool !== 'files')
      return remote.open(channel, tool, { author: payload.author, person, reason, recorded })
    const { serveFiles } = await import('../remote/files/serve-files.ts')
    await serveFiles(channel, tool.order, { openParts, dataFolder, log })
  },
})
