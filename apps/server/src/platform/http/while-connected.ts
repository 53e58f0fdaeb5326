import type { IncomingMessage } from 'node:http'

/** Returns a signal that aborts when the client disconnects. Dispose it when the response is sent. */
export function whileConnected({ socket }: IncomingMessage): { signal: AbortSignal } & Disposable {
  const gone = new AbortController()
  const stop = () => gone.abort()
  // The socket outlives the request, because others follow on it.
  socket.once('close', stop)
  return { signal: gone.signal, [Symbol.dispose]: () => void socket.off('close', stop) }
}
