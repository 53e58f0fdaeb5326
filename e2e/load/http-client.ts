import { Agent, get } from 'node:http'
import type { Session } from '../support/sign-in.ts'

/** As a browser has. */
const MAX_SOCKETS = 6

/** Kept connections that count the bytes of answers instead of reading them: the other end is what is measured. */
export function openHttp(session: Session) {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  const fetchBytes = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { ...session.headers(), 'accept-encoding': 'gzip, deflate, br, zstd' }
      const request = get(`${session.url}${path}`, { agent, headers }, (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => (bytes += chunk.length))
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode === 200) resolve(bytes)
          else reject(new Error(`GET ${path} answered ${response.statusCode}`))
        })
      })
      request.on('error', reject)
    })
  return { fetchBytes, [Symbol.dispose]: () => agent.destroy() }
}
