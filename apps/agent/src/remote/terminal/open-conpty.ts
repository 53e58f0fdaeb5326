import { once } from 'node:events'
import type { Socket } from 'node:net'
import { AgentError } from '../../errors.ts'
import { openJob, terminateJob } from '../../os/windows/job-objects.ts'
import { makeEnvironmentBlock, quoteArgument } from '../../os/windows/process-start.ts'
import { openPipe } from '../../os/windows/pipes.ts'
import { bindLibrary, type Call, type Handle, loadErrors, loadKoffi } from '../../os/windows/win32.ts'
import type { Pty, PtyEvents, Size } from './open-pty.ts'
import type { ShellPlan } from './plan-shell.ts'

interface Kernel {
  createConsole: Call<[size: number, input: Handle, output: Handle, flags: 0, console: Buffer]>
  resizeConsole: Call<[console: Handle, size: number]>
  closeConsole: Call<[console: Handle]> & { async: (console: Handle, done: () => void) => void }
  prepareAttributes: Call<[list: Buffer | null, count: 1, flags: 0, bytes: Buffer]>
  setAttribute: Call<
    [list: Buffer, flags: 0, kind: number, value: Handle, bytes: 8, before: null, after: null]
  >
  createProcess: Call<
    [
      program: null,
      line: string,
      security: null,
      threadSecurity: null,
      inherits: 0,
      flags: number,
      environment: Buffer,
      folder: string,
      startup: Buffer,
      process: Buffer,
    ]
  >
  resume: Call<[thread: Handle]>
  wait: Call<[process: Handle, milliseconds: 0]>
  exitCode: Call<[process: Handle, code: Buffer]>
  close: Call<[handle: Handle]>
}

/** A COORD is passed as one number: it has 4 bytes. */
const KERNEL = {
  createConsole: 'int __stdcall CreatePseudoConsole(uint32_t, uintptr_t, uintptr_t, uint32_t, uint8_t *)',
  resizeConsole: 'int __stdcall ResizePseudoConsole(uintptr_t, uint32_t)',
  closeConsole: 'void __stdcall ClosePseudoConsole(uintptr_t)',
  prepareAttributes:
    'int __stdcall InitializeProcThreadAttributeList(uint8_t *, uint32_t, uint32_t, uint8_t *)',
  setAttribute:
    'int __stdcall UpdateProcThreadAttribute(uint8_t *, uint32_t, uintptr_t, uintptr_t, uintptr_t, void *, void *)',
  createProcess:
    'int __stdcall CreateProcessW(void *, str16, void *, void *, int, uint32_t, uint8_t *, str16, uint8_t *, uint8_t *)',
  resume: 'uint32_t __stdcall ResumeThread(uintptr_t)',
  wait: 'uint32_t __stdcall WaitForSingleObject(uintptr_t, uint32_t)',
  exitCode: 'int __stdcall GetExitCodeProcess(uintptr_t, uint8_t *)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}

const PSEUDO_CONSOLE = 0x2_0016
/** CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT and EXTENDED_STARTUPINFO_PRESENT. */
const CREATE_FLAGS = 0x8_0404
/** STARTUPINFOEXW: its size at byte 0, flags at 60, the attribute list at 104. */
const STARTUP_BYTES = 112
const STARTUP_FLAGS_AT = 60
const ATTRIBUTES_AT = 104
/** The handles of the agent are not those of the shell: STARTF_USESTDHANDLES, with none. */
const USE_STANDARD_HANDLES = 0x100
/** PROCESS_INFORMATION: handles of process and thread, and the process id at byte 16. */
const PROCESS_BYTES = 24

const WAIT_TIMEOUT = 0x102
/** A thread that waits would be one of the four that Node has for files. */
const LOOK_EVERY_MS = 100

let loaded: Promise<Kernel> | undefined

/**
 * Starts a shell in a pseudo-console of Windows ("ConPTY"), in a job that holds all its processes. Source: Windows
 * API, "Creating a Pseudoconsole session".
 */
export async function openConpty(
  { plan, marker, size }: { plan: ShellPlan; marker: string; size: Size },
  events: PtyEvents,
): Promise<Pty> {
  const kernel = await (loaded ??= bindLibrary<Kernel>('kernel32.dll', KERNEL))
  const input = await openPipe()
  const output = await openPipe()
  const handle = Buffer.alloc(8)
  const result = kernel.createConsole(sizeOf(size), input.end, output.end, 0, handle)
  const console = handle.readBigUInt64LE()
  // The console has copies of its own.
  const closePipes = () => [input, output].forEach(({ end }) => kernel.close(end))
  try {
    if (result < 0) throw new AgentError(`Windows cannot create a terminal (error ${result >>> 0}).`)
    const shell = await startShell(kernel, { plan, marker, console })
    return new Conpty({ kernel, console, shell, input: input.socket, output: output.socket, marker }, events)
  } catch (cause) {
    if (result >= 0) kernel.closeConsole.async(console, () => undefined)
    for (const { socket } of [input, output]) socket.destroy()
    throw cause
  } finally {
    closePipes()
  }
}

interface Shell {
  process: Handle
  pid: number
  closeJob: () => void
}

async function startShell(
  kernel: Kernel,
  { plan, marker, console }: { plan: ShellPlan; marker: string; console: Handle },
): Promise<Shell> {
  const [koffi, errors] = await Promise.all([loadKoffi(), loadErrors()])
  const bytes = Buffer.alloc(8)
  kernel.prepareAttributes(null, 1, 0, bytes)
  const attributes = Buffer.alloc(Number(bytes.readBigUInt64LE()))
  kernel.prepareAttributes(attributes, 1, 0, bytes)
  kernel.setAttribute(attributes, 0, PSEUDO_CONSOLE, console, 8, null, null)
  const startup = Buffer.alloc(STARTUP_BYTES)
  startup.writeUInt32LE(STARTUP_BYTES)
  startup.writeUInt32LE(USE_STANDARD_HANDLES, STARTUP_FLAGS_AT)
  startup.writeBigUInt64LE(koffi.address(attributes), ATTRIBUTES_AT)
  const created = Buffer.alloc(PROCESS_BYTES)
  const line = [plan.program, ...plan.args].map(quoteArgument).join(' ')
  const environment = makeEnvironmentBlock({ ...plan.env, MUSTER_RUN: marker })
  const isCreated = kernel.createProcess(
    null,
    line,
    null,
    null,
    0,
    CREATE_FLAGS,
    environment,
    plan.cwd,
    startup,
    created,
  )
  if (isCreated === 0)
    throw new AgentError(`Windows cannot start ${plan.program}: ${errors.describe(errors.last())}`)
  const [process, thread] = [created.readBigUInt64LE(0), created.readBigUInt64LE(8)]
  const pid = created.readUInt32LE(16)
  const job = await openJob(marker)
  try {
    job.add(pid)
    return { process, pid, closeJob: () => job.close() }
  } finally {
    // Also if the job refuses it: a suspended process would stay for ever. The console ends it.
    kernel.resume(thread)
    kernel.close(thread)
  }
}

interface ConptyParts {
  kernel: Kernel
  console: Handle
  shell: Shell
  input: Socket
  output: Socket
  marker: string
}

class Conpty implements Pty {
  readonly pid: number
  #parts: ConptyParts
  #events: PtyEvents
  #timer: NodeJS.Timeout
  #isClosed = false

  constructor(parts: ConptyParts, events: PtyEvents) {
    this.pid = parts.shell.pid
    this.#parts = parts
    this.#events = events
    parts.output.on('data', (bytes) => events.onData(bytes))
    this.#timer = setInterval(() => {
      if (parts.kernel.wait(parts.shell.process, 0) !== WAIT_TIMEOUT) void this.#finish()
    }, LOOK_EVERY_MS)
  }

  write(bytes: Buffer, onTaken: () => void): void {
    this.#parts.input.write(bytes, () => onTaken())
  }

  resize(size: Size): void {
    if (!this.#isClosed) this.#parts.kernel.resizeConsole(this.#parts.console, sizeOf(size))
  }

  pause(): void {
    this.#parts.output.pause()
  }

  resume(): void {
    this.#parts.output.resume()
  }

  hangUp(): void {
    void this.#closeConsole()
  }

  /** The shell has ended: what it left running ends too, and the rest of the output is read. */
  async #finish(): Promise<void> {
    clearInterval(this.#timer)
    const { kernel, shell, output, input, marker } = this.#parts
    const code = Buffer.alloc(4)
    kernel.exitCode(shell.process, code)
    kernel.close(shell.process)
    await terminateJob(marker)
    shell.closeJob()
    output.resume()
    const isRead = output.closed ? undefined : once(output, 'close')
    await Promise.all([this.#closeConsole(), isRead])
    input.destroy()
    this.#events.onExit(code.readUInt32LE())
  }

  /** On another thread: it waits until the output has been read. */
  #closeConsole(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    const { kernel, console } = this.#parts
    return new Promise((resolve) => kernel.closeConsole.async(console, () => resolve()))
  }
}

const sizeOf = ({ cols, rows }: Size): number => (rows << 16) | cols
