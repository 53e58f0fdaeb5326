import { AgentError } from '../../errors.ts'
import type { Channel } from '../channels/channel.ts'
import {
  fileOperations,
  type FileTool,
  type OperationInput,
  type OperationName,
  type OperationResult,
  serveFileTool,
  type ToolSurroundings,
} from './file-operations.ts'
import { IDLE_MS, MountProcess } from './mount-process.ts'
import { findNetworkMount, type NetworkMounts } from './network-mounts.ts'
import { readPath, showPath } from './paths.ts'

/** Each is as large as the agent. */
const MAX_PROCESSES = 4

export interface FilesOptions extends Omit<ToolSurroundings, 'networkMounts'> {
  /** Command line that starts this agent. */
  program: readonly string[]
  readNetworkMounts: () => NetworkMounts
  mountIdleMs?: number | undefined
}

/** Files of this machine. Those on a network mount are left to a process that can be killed when the mount hangs. */
export class Files implements Disposable {
  #options: FilesOptions
  #processes = new Map<string, MountProcess>()

  constructor(options: FilesOptions) {
    this.#options = options
  }

  /** Throws AgentError for what users can understand. */
  async run<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
  ): Promise<OperationResult<Name>> {
    const around = this.#look()
    const paths = 'to' in input ? [input.path, input.to] : [input.path]
    for (const path of paths) {
      const mount = await findMount(path, around.networkMounts)
      // The operation of this name.
      if (mount !== undefined) return (await this.#open(mount).run(name, input)) as OperationResult<Name>
    }
    return fileOperations[name](input, around)
  }

  async serve(channel: Channel, tool: FileTool): Promise<void> {
    const around = this.#look()
    const path = findPath(tool)
    try {
      const mount = path === undefined ? undefined : await findMount(path, around.networkMounts)
      if (channel.isOver) return
      if (mount !== undefined) return this.#open(mount).serve(channel, tool)
    } catch (cause) {
      if (!(cause instanceof AgentError)) throw cause
      return channel.end({ code: 'refused', message: cause.message })
    }
    return serveFileTool(channel, tool, around)
  }

  #look(): ToolSurroundings {
    return { ...this.#options, networkMounts: this.#options.readNetworkMounts() }
  }

  #open(mount: string): MountProcess {
    const open = this.#processes.get(mount)
    if (open !== undefined) return open
    if (this.#processes.size >= MAX_PROCESSES) {
      const idle = [...this.#processes.values()].find(({ isIdle }) => isIdle)
      if (idle === undefined)
        throw new AgentError('Too many network drives are in use at once. Try again later.')
      idle.end('')
    }
    const { program, dataFolder, openParts, mountIdleMs: idleMs = IDLE_MS } = this.#options
    const started = new MountProcess({
      mount,
      program,
      dataFolder,
      openParts,
      idleMs,
      onEnd: () => {
        if (this.#processes.get(mount) === started) this.#processes.delete(mount)
      },
    })
    this.#processes.set(mount, started)
    return started
  }

  [Symbol.dispose](): void {
    for (const open of this.#processes.values()) open.end('The agent is stopping.')
  }
}

function findMount(path: string, mounts: NetworkMounts): Promise<string | undefined> | undefined {
  return mounts.size === 0 ? undefined : findNetworkMount(showPath(readPath(path)), mounts)
}

/** Undefined for logs that are no file. */
function findPath(tool: FileTool): string | undefined {
  if (tool.tool === 'files') return tool.order.path
  return tool.source.kind === 'file' ? tool.source.path : undefined
}
