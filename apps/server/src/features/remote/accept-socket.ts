import { CHANNEL_CLOSE } from '@muster/contract/channels'
import type { RawData, WebSocket } from 'ws'
import type { z } from 'zod'
import { AppError } from '@muster/contract/errors'
import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import type { Context } from '../../context.ts'
import type { LiveCaller } from '../../platform/http/caller.ts'
import { redeemTicket, type SocketBrowser } from '../users/sessions/socket-tickets.ts'
import { readSealedFile, type SealedPiece } from '../../platform/files/sealed-file.ts'
import { recordingPath, recordingSeal } from './recordings.ts'

const HELLO_WITHIN_MS = 5000
const MAX_HELLO_BYTES = 4096
const PING_EVERY_MS = 5000
/** A slow line may have a whole window of the channel in transit before the first ping. */
const MAX_UNANSWERED = 4
/** RFC 6455, 7.4.1: unexpected condition on the server. */
const SERVER_FAILED = 1011

export type BufferedMessage = [data: RawData, isBinary: boolean]

/** Waits for the first message, and reads no further until the receiver of the rest is known. */
export function acceptSocket<Hello>(
  socket: WebSocket,
  schema: z.ZodType<Hello>,
  onHello: (hello: Hello, takeEarly: () => BufferedMessage[]) => Promise<void>,
): void {
  const timer = setTimeout(() => {
    socket.close(CHANNEL_CLOSE.ticketRefused, 'No ticket was sent within 5 seconds.')
  }, HELLO_WITHIN_MS)
  socket.on('close', () => clearTimeout(timer))
  socket.on('error', () => socket.terminate())
  socket.once('message', (message, isBinary) => {
    clearTimeout(timer)
    // `ws` provides one Buffer by default.
    const bytes = message as Buffer
    const hello =
      isBinary || bytes.length > MAX_HELLO_BYTES ? undefined : readHello(schema, bytes.toString('utf8'))
    if (hello === undefined) {
      return socket.close(CHANNEL_CLOSE.unknownMessage, 'The first message must be a hello with a ticket.')
    }
    socket.pause()
    // Data in the same packet as the hello has already been read.
    const early: BufferedMessage[] = []
    const keep = (data: RawData, isOfBytes: boolean) => void early.push([data, isOfBytes])
    socket.on('message', keep)
    const takeEarly = () => {
      socket.off('message', keep)
      return early
    }
    void onHello(hello, takeEarly).finally(() => {
      socket.resume()
      endWhenSilent(socket)
    })
  })
}

/** A window that fails to open must not hang: the console retries. */
export async function orClosed(socket: WebSocket, opening: Promise<void>): Promise<void> {
  try {
    await opening
  } catch (error) {
    socket.close(SERVER_FAILED, 'The server could not open the tool. Try again.')
    throw error
  }
}

/** A browser without network sends nothing, and its connection does not report that. */
function endWhenSilent(socket: WebSocket): void {
  if (socket.readyState !== socket.OPEN) return
  let unanswered = 0
  const markAlive = () => {
    unanswered = 0
  }
  socket.on('message', markAlive).on('pong', markAlive)
  const timer = setInterval(() => {
    if (unanswered >= MAX_UNANSWERED) return socket.terminate()
    unanswered += 1
    socket.ping()
  }, PING_EVERY_MS)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}

function readHello<Hello>(schema: z.ZodType<Hello>, text: string): Hello | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Returns the caller, or undefined for an invalid ticket, which closes the socket. */
export async function authenticateSocket(
  ctx: Context,
  {
    socket,
    hello,
    browser,
    onSignedIn,
  }: { socket: WebSocket; hello: { ticket: string }; browser: SocketBrowser; onSignedIn: () => void },
): Promise<LiveCaller | undefined> {
  try {
    const caller = await redeemTicket(ctx, hello.ticket, browser)
    if (caller.session !== undefined) {
      onSignedIn()
      return { ...caller, session: caller.session }
    }
    socket.close(CHANNEL_CLOSE.ticketRefused, 'Tools require a signed-in user.')
  } catch (error) {
    if (!(error instanceof AppError)) {
      socket.close(1011, 'Something went wrong on the server.')
      throw error
    }
    socket.close(CHANNEL_CLOSE.ticketRefused, error.message)
  }
  return undefined
}

/** A slow line may have a whole window of the channel waiting, plus a little. Beyond that the client does not read. */
const MAX_WAITING_BYTES = 2 * CHANNEL_WINDOW_BYTES

/**
 * Handles messages of a window: frames of its channel, and "ping", which is returned unless the client does not read.
 */
export function bufferUntilReady(
  socket: WebSocket,
  { takeEarly, onFrame }: { takeEarly: () => BufferedMessage[]; onFrame: (frame: Buffer) => void },
): void {
  const receive: (...message: BufferedMessage) => void = (data, isBinary) => {
    // `ws` provides one Buffer by default.
    const bytes = data as Buffer
    if (isBinary) onFrame(bytes)
    else if (bytes.toString('utf8') !== 'ping')
      socket.close(CHANNEL_CLOSE.unknownMessage, 'After the hello only channel frames are supported.')
    else if (socket.bufferedAmount < MAX_WAITING_BYTES) socket.send('pong')
  }
  socket.on('message', receive)
  for (const message of takeEarly()) receive(...message)
}

/** The pieces of a recording. Throws a sentence if the file is missing or was changed. */
export async function readPart(ctx: Context, id: string): Promise<SealedPiece[]> {
  const explained = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (cause) {
      ctx.log.error({ err: cause, recording: id }, 'a recording could not be read')
      throw new AppError('unavailable', 'The file of this recording is missing or was changed.', { cause })
    }
  }
  const pieces = await explained(() => readSealedFile(recordingPath(ctx, id), recordingSeal(ctx, id)))
  return pieces.map(({ text, bytes }) => ({ text: () => explained(text), bytes: () => explained(bytes) }))
}
