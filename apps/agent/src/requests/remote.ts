import type { CommandName } from '@muster/contract/agent/commands'
import { defineCommand, defineRequest } from './command.ts'

export const beginUpload = defineRequest('begin-upload', (input, { files }) =>
  files.run('begin-upload', input),
)
export const lookAtUpload = defineRequest('look-at-upload', (input, { files }) =>
  files.run('look-at-upload', input),
)
export const dropUpload = defineRequest('drop-upload', (input, { files }) => files.run('drop-upload', input))
export const writeText = defineRequest('write-text', (input, { files }) => files.run('write-text', input))
export const readText = defineRequest('read-text', (input, { files }) => files.run('read-text', input))
export const findText = defineRequest('find-text', (input, { files }) => files.run('find-text', input))
export const putText = defineRequest('put-text', (input, { files }) => files.run('put-text', input))
export const changeFile = defineRequest('change-file', (input, { files }) => files.run('change-file', input))
export const listFolder = defineRequest('list-folder', (input, { files }) => files.run('list-folder', input))

export const undoPush = defineRequest('undo-push', async ({ job }, { files, dataFolder }) => {
  const { requirePushedPath } = await import('../remote/files/push-file.ts')
  return files.run('undo-push', { job, path: requirePushedPath(job, dataFolder) })
})

export const readFileAccess = defineRequest('read-file-access', async ({ path }, { dataFolder }) => {
  const { readAccess } = await import('../remote/files/windows-rights.ts')
  return readAccess(path, dataFolder)
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
  async take({ channel: id, tool, person, purpose: reason, recorded = false }, { remote, files, payload }) {
    const channel = remote.channels.open(id)
    if ('code' in channel) return
    if (tool.tool === 'log' || tool.tool === 'files') return files.serve(channel, tool)
    return remote.open(channel, tool, { author: payload.author, person, reason, recorded })
  },
})
