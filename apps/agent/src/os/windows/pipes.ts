import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { bindLibrary, type Call, type Handle } from './win32.ts'

interface Kernel {
  create: Call<
    [
      name: string,
      access: number,
      mode: number,
      instances: 1,
      outBytes: number,
      inBytes: number,
      timeoutMs: 0,
      security: null,
    ],
    Handle
  >
  close: Call<[handle: Handle]>
}

const KERNEL = {
  create:
    'uintptr_t __stdcall CreateNamedPipeW(str16, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void *)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}

/** PIPE_ACCESS_DUPLEX, because Node closes pipes that it cannot read, and FILE_FLAG_FIRST_PIPE_INSTANCE. */
const DUPLEX = 0x8_0003
const REJECT_REMOTE_CLIENTS = 8
const PIPE_BYTES = 64 * 1024

export interface Pipe {
  /** The other process's end. */
  end: Handle
  /** The agent's end. */
  socket: Socket
}

let loaded: Promise<Kernel> | undefined

/**
 * A pipe between the agent and a process that it starts. If another process connects first, the agent cannot, and
 * starts nothing.
 */
export async function openPipe(): Promise<Pipe> {
  const kernel = await (loaded ??= bindLibrary<Kernel>('kernel32.dll', KERNEL))
  const name = `\\\\.\\pipe\\muster-${randomUUID()}`
  const end = kernel.create(name, DUPLEX, REJECT_REMOTE_CLIENTS, 1, PIPE_BYTES, PIPE_BYTES, 0, null)
  const socket = connect(name)
  try {
    await once(socket, 'connect')
  } catch (cause) {
    kernel.close(end)
    throw cause
  }
  // Input after the end of the process is lost, and its output ends anyway.
  socket.on('error', () => undefined)
  return { end, socket }
}
