import { statfs } from 'node:fs/promises'
import { decodeChannelFrame, encodeChannelEnd } from '@muster/contract/agent/channel'
import { AgentError } from '../errors.ts'
import { createProcessLog } from '../log/log.ts'
import { os } from '../os/index.ts'
import { Channel } from '../remote/channels/channel.ts'
import {
  fileOperations,
  type FileTool,
  type OperationInput,
  type OperationName,
  serveFileTool,
} from '../remote/files/file-operations.ts'
import type { FromMount, ToMount } from '../remote/files/mount-process.ts'

/** Works on one network mount for the agent, which started this process and ends it. */
export function serveMount(dataFolder: string, file: string): void {
  const mount = Buffer.from(file, 'base64url')
  const channels = new Map<number, Channel>()
  const send = (message: FromMount) => void process.send?.(message, undefined, undefined, () => undefined)
  const around = {
    dataFolder,
    os,
    log: createProcessLog(),
    networkMounts: new Set<string>(),
    openParts: {
      remember: (path: string) => send({ kind: 'remember', path }),
      release: (path: string) => send({ kind: 'release', path }),
    },
  }

  async function run<Name extends OperationName>(id: number, name: Name, input: OperationInput<Name>) {
    try {
      send({ kind: 'done', id, result: await fileOperations[name](input, around) })
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      send({ kind: 'failed', id, message, isExpected: cause instanceof AgentError })
    }
  }

  function open(id: number, tool: FileTool) {
    const channel = new Channel(id, () => {
      for (let bytes = channel.nextFrame(); bytes !== undefined; bytes = channel.nextFrame())
        send({ kind: 'frame', channel: id, bytes })
      if (channel.isOver) channels.delete(id)
    })
    channels.set(id, channel)
    void serveFileTool(channel, tool, around)
  }

  function pass(bytes: Uint8Array) {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) throw new Error(frame.wrong)
    const channel = channels.get(frame.channel)
    const wrong = channel?.take(frame)
    if (wrong !== undefined) {
      channel?.drop(wrong)
      send({ kind: 'frame', channel: frame.channel, bytes: encodeChannelEnd(frame.channel, wrong) })
    }
    if (channel?.isOver === true) channels.delete(frame.channel)
  }

  function take(message: ToMount) {
    switch (message.kind) {
      case 'run':
        return void run(message.id, message.name, message.input)
      case 'open':
        return open(message.channel, message.tool)
      case 'frame':
        return pass(message.bytes)
      case 'look': {
        // An error is an answer as well.
        const answer = () => send({ kind: 'alive' })
        return void statfs(mount).then(answer, answer)
      }
    }
  }

  // Sent by the agent only.
  process.on('message', (message) => take(message as ToMount))
  // Its threads may never return, and Node waits for them at an ordinary end.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  send({ kind: 'ready' })
}
