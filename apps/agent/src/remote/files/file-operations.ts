import type { CommandInput } from '@muster/contract/agent/commands'
import type { Reply } from '@muster/contract/agent/replies'
import type { Log } from '../../log/log.ts'
import type { Os } from '../../os/os.ts'
import type { Channel } from '../channels/channel.ts'
import type { NetworkMounts } from './network-mounts.ts'
import type { UploadSurroundings } from './upload-part.ts'

export interface FileSurroundings extends UploadSurroundings {
  /** Empty in a process that may hang. */
  networkMounts: NetworkMounts
}

type FileRequest =
  | 'begin-upload'
  | 'look-at-upload'
  | 'drop-upload'
  | 'write-text'
  | 'read-text'
  | 'find-text'
  | 'put-text'
  | 'change-file'
  | 'list-folder'
type OperationTypes = { [Name in FileRequest]: { input: CommandInput<Name>; result: Reply<Name> } } & {
  'undo-push': { input: CommandInput<'undo-push'> & { path: string }; result: Reply<'undo-push'> }
  'find-draft': { input: { path: string }; result: { name: string; path: string } }
  'remove-abandoned': { input: { path: string; afterMs: number }; result: boolean }
}
export type OperationName = keyof OperationTypes
export type OperationInput<Name extends OperationName> = OperationTypes[Name]['input']
export type OperationResult<Name extends OperationName> = OperationTypes[Name]['result']

const uploads = () => import('./upload-part.ts')
const texts = () => import('./text-file.ts')
const puts = () => import('./put-text.ts')
const pushes = () => import('./push-file.ts')

/** Everything that is done with a path of a user. Modules are loaded on use. */
export const fileOperations: {
  [Name in OperationName]: (
    input: OperationInput<Name>,
    around: FileSurroundings,
  ) => Promise<OperationResult<Name>>
} = {
  'begin-upload': async (input, around) => (await uploads()).beginUpload(input, around),
  'look-at-upload': async (input, { dataFolder }) => (await uploads()).lookAtUpload(input, dataFolder),
  'drop-upload': async (input, around) => (await uploads()).dropUpload(input, around),
  'write-text': async (input, around) => (await texts()).writeText(input, around),
  'read-text': async ({ path }, { dataFolder }) => (await texts()).readText(path, dataFolder),
  'find-text': async ({ path }, { dataFolder }) => (await puts()).findText(path, dataFolder),
  'put-text': async (input, around) => (await puts()).putText(input, around),
  'change-file': async (input, around) => (await import('./change-file.ts')).changeFile(input, around),
  'list-folder': async (input, around) => (await import('./list-folder.ts')).listFolder(input, around),
  'undo-push': async ({ job }, around) => (await pushes()).undoPush(job, around),
  'find-draft': async ({ path }, { dataFolder }) => (await pushes()).findDraft(path, dataFolder),
  'remove-abandoned': async ({ path, afterMs }, { dataFolder }) =>
    (await uploads()).removeAbandoned(path, { dataFolder, afterMs }),
}

/** A tool of a channel that reads or writes files. */
export type FileTool = Extract<CommandInput<'open-channel'>['tool'], { tool: 'files' | 'log' }>
export type ToolSurroundings = FileSurroundings & { os: Os; log: Log }

/** Serves a channel of files or of a log to its end. */
export async function serveFileTool(
  channel: Channel,
  tool: FileTool,
  around: ToolSurroundings,
): Promise<void> {
  if (tool.tool === 'files') return (await import('./serve-files.ts')).serveFiles(channel, tool.order, around)
  return (await import('../logs/serve-log.ts')).serveLog(channel, tool.source, around)
}
