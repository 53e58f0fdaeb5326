import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type ChannelEnd, encodeChannelEnd } from '@muster/contract/agent/channel'
import type { WebTermHello } from '@muster/contract/api/webterm'
import { CHANNEL_CLOSE, type ChannelAccepted } from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import type { Context } from '../../../context.ts'
import { audit } from '../../audit/write-audit.ts'
import type { Caller, LiveCaller } from '../../../platform/http/caller.ts'
import type { SocketBrowser } from '../../users/sessions/socket-tickets.ts'
import { authenticateSocket, type BufferedMessage, bufferUntilReady } from '../accept-socket.ts'
import { Recording } from '../recording.ts'
import { createRecordingFile } from '../recordings.ts'
import { checkMfa } from '../check-mfa.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import { writeWebTerminalEnd } from './end-web-terminal.ts'
import { finishWebTerminalRecording, insertWebTerminal } from './queries.ts'
import { WebTerminal } from './web-terminal.ts'
import type { WebTerminals } from './web-terminals.ts'

const MAX_OPEN = 16
const MEGABYTE = 1024 * 1024

interface Opening {
  socket: WebSocket
  hello: WebTermHello
  browser: SocketBrowser
  /** The ticket is valid. */
  onSignedIn: () => void
  /** Data after the hello, before a handler was attached. */
  takeEarly: () => BufferedMessage[]
}

/** Opens a shell of the server for the holder of the ticket: checks the right, and records the session. */
export async function openWebTerminal(
  { ctx, terminals }: { ctx: Context; terminals: WebTerminals },
  opening: Opening,
): Promise<void> {
  const { socket, hello } = opening
  const refuse = (end: ChannelEnd) => {
    if (socket.readyState === socket.OPEN) socket.send(encodeChannelEnd(0, end))
    socket.close(CHANNEL_CLOSE.over, end.code)
  }
  const caller = await authenticateSocket(ctx, opening)
  if (caller === undefined) return
  const refusal = (await checkWebTerminal(ctx, caller)) ?? checkMfa(caller, 'web terminal', ctx.now())
  if (refusal !== undefined) return refuse(refusal)
  if (terminals.size >= MAX_OPEN) {
    const message = `This server process has ${terminals.size} open web terminals, the maximum. Close one and try again.`
    return refuse({ code: 'too_many', message })
  }
  const session = { id: randomUUID(), host: hostname(), startedAt: ctx.now() }
  const recording = await record(ctx, { ...session, size: hello.request })
  if ('code' in recording) return refuse(recording)
  await writeDown(ctx, caller, session)
  const welcome: ChannelAccepted = { type: 'welcome', recorded: true }
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(welcome))

  const terminal = new WebTerminal({
    socket,
    caller,
    session: session.id,
    host: session.host,
    recording,
    onOver: async (exitCode, reason) => {
      terminals.remove(terminal)
      const row = asRow(caller, session)
      await ctx.transaction((tx, emit) => writeWebTerminalEnd({ ctx, tx, emit }, row, { exitCode, reason }))
    },
  })
  socket.on('close', () => void terminals.finish(() => terminal.end(GONE)))
  await terminals.add(terminal)
  try {
    await terminal.start(hello.request)
  } catch (error) {
    ctx.log.warn({ err: error }, 'a web terminal cannot be opened')
    const message =
      error instanceof Error
        ? error.message
        : 'The web terminal could not be opened. The log of the server has the reason.'
    return terminal.end({ code: 'failed', message })
  }
  bufferUntilReady(socket, { takeEarly: opening.takeEarly, onFrame: (frame) => terminal.receive(frame) })
  // It may have disconnected during the queries.
  if (socket.readyState !== socket.OPEN) await terminal.end(GONE)
}

type Session = { id: string; host: string; startedAt: Date }

const asRow = (caller: LiveCaller, { id, host, startedAt }: Session) => ({
  id,
  host,
  username: caller.username,
  ip_address: caller.source,
  started_at: startedAt.toISOString(),
})

/** Creates the row before the shell. */
function writeDown(ctx: Context, caller: LiveCaller, session: Session): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    await insertWebTerminal(tx, { ...asRow(caller, session), process_id: ctx.processId })
    await audit(tx, {
      caller,
      action: 'remote_session',
      object_type: 'webterminal',
      message: `Opened the web terminal on "${session.host}"`,
      after: { session: session.id },
      at: session.startedAt,
      emit,
    })
  })
}

async function record(
  ctx: Context,
  { id, size, startedAt }: Session & { size: { cols: number; rows: number } },
): Promise<Recording | ChannelEnd> {
  const { recording_max_mb: mostMegabytes } = await readCoreSettings(ctx.db)
  try {
    return new Recording({
      file: await createRecordingFile(ctx, id),
      size,
      startedAt,
      mostCharacters: mostMegabytes * MEGABYTE,
      onEnd: ({ bytes, problem }) =>
        finishWebTerminalRecording(ctx.db, id, { recording_bytes: bytes, recording_problem: problem }),
      onError: (error) => ctx.log.error({ err: error, recording: id }, 'a recording could not be written'),
    })
  } catch (error) {
    if (error instanceof AppError) return { code: 'failed', message: error.message }
    throw error
  }
}

const GONE: ChannelEnd = { code: 'detached', message: 'Its window was closed or lost its connection.' }

/** Returns why the caller may not open a shell of the server, or undefined. */
export async function checkWebTerminal(ctx: Context, caller: Caller): Promise<ChannelEnd | undefined> {
  if (!caller.isSuperuser)
    return { code: 'not_allowed', message: 'Only a superuser may open the web terminal.' }
  const { enable_server_webterminal: isOn } = await readCoreSettings(ctx.db)
  if (isOn) return undefined
  const message = 'The web terminal is switched off. A superuser can switch it on in the global settings.'
  return { code: 'not_allowed', message }
}
