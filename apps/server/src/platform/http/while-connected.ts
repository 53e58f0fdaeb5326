import type { IncomingMessage } from 'node:http'

/** A signal that says when nobody waits for the answer any more; to be disposed when it is given. */
export function whileConnected({ socket }: IncomingMessage): { signal: AbortSignal } & Disposable {
  const gone = new AbortController()
  const stop = () => gone.abort()
  // The socket outlives the request: others follow on it.
  socket.once('close', stop)
  return { signal: gone.signal, [Symbol.dispose]: () => void socket.off('close', stop) }
}
