import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { CliError } from '../errors.ts'
import { describeError } from '../log/log.ts'
import { isLoopback } from './address.ts'

/** The connection failed at the proxy. The message is for users, without a period. */
export class ProxyError extends Error {
  override name = 'ProxyError'
}

/** For messages: without the user name and the password. */
export function describeProxy(proxy: string): string {
  const { protocol, host, username } = new URL(proxy)
  return `${protocol}//${host}${username === '' ? '' : ' (with a user name)'}`
}

/** Throws CliError if this is no address of a proxy. */
export function readProxy(text: string, source: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || url.hostname === '' || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    // The text may hold a password.
    throw new CliError(
      `${source} is not the address of an HTTP proxy. Example: http://proxy.example.com:3128`,
    )
  return `${url.protocol}//${credentialsOf(url)}${url.host}`
}

const credentialsOf = ({ username, password }: URL) =>
  username === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`

export interface ProxySources {
  /** `none` = connect directly, whatever the other sources say. */
  given: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** The proxy of the operating system. */
  ofSystem: () => Promise<SystemProxy | undefined>
}

export interface SystemProxy {
  /** As `proxy:8080`, or `http=proxy:8080;https=proxy:8443`. */
  proxy: string
  /** As `*.example.com;<local>`. */
  bypass: string
}

/** Returns the proxy for a server as curl would choose it, or else that of the operating system; null = none. */
export async function chooseProxy(serverUrl: string, sources: ProxySources): Promise<string | null> {
  const { given, env } = sources
  if (given !== undefined) return given === 'none' ? null : readProxy(given, '--proxy')
  if (isLoopback(serverUrl)) return null
  const { protocol } = new URL(serverUrl)
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((each) => (env[each] ?? '') !== '')
  if (name !== undefined) {
    const exceptions = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(/[\s,]+/)
    return isException(serverUrl, exceptions) ? null : readProxy(env[name] ?? '', name)
  }
  const system = await sources.ofSystem()
  if (system === undefined) return null
  const own = findForScheme(system.proxy, protocol === 'https:' ? 'https' : 'http')
  if (own === undefined || isException(serverUrl, system.bypass.split(/[\s;]+/))) return null
  return readProxy(own, 'the proxy of the operating system')
}

function findForScheme(text: string, scheme: string): string | undefined {
  const parts = text.split(/[\s;]+/).filter(Boolean)
  const named = parts.find((part) => part.startsWith(`${scheme}=`))
  return named?.slice(scheme.length + 1) ?? parts.find((part) => !part.includes('='))
}

/** Entries are `*`, a domain with all names below it, an address, each also with a port, or `<local>`. */
export function isException(serverUrl: string, entries: readonly string[]): boolean {
  const { hostname, port, protocol } = new URL(serverUrl)
  const host = hostname.replaceAll(/[[\]]/g, '').toLowerCase()
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return entries.some((entry) => {
    const text = entry.trim().toLowerCase()
    if (text === '') return false
    if (text === '*') return true
    if (text === '<local>') return !host.includes('.') && isIP(host) === 0
    const [, name = '', wantedPort] =
      /^(?:https?:\/\/)?\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(text) === 6 ? `[${text}]` : text) ?? []
    if (wantedPort !== undefined && wantedPort !== ownPort) return false
    const domain = name.replace(/^\*?\./, '')
    return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`))
  })
}

/** Opens a connection to a host through a proxy. Throws ProxyError. */
export async function openTunnel(
  proxy: string,
  target: { host: string; port: number },
  timeoutMs: number,
): Promise<Socket> {
  const url = new URL(proxy)
  const where = `the proxy ${url.host}`
  const path = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const request = send({
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    method: 'CONNECT',
    path,
    headers: { host: path, ...authorizationOf(url) },
    agent: false,
    timeout: timeoutMs,
  })
  request.on('connect', (response: IncomingMessage, socket: Socket) => {
    if (response.statusCode === 200) {
      socket.setTimeout(0)
      return resolve(socket)
    }
    socket.destroy()
    reject(new ProxyError(describeRefusal(response, { where, path, hasUser: url.username !== '' })))
  })
  // Some proxies refuse with a response that does not end the connection.
  request.on('response', (response) => {
    response.destroy()
    reject(new ProxyError(describeRefusal(response, { where, path, hasUser: url.username !== '' })))
  })
  request.on('timeout', () => request.destroy(new Error('it did not respond in time')))
  request.on('error', (cause) => {
    reject(new ProxyError(`${where} cannot be reached: ${describeFailure(cause)}`, { cause: undefined }))
  })
  request.end()
  return promise
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` }
}

function describeRefusal(
  { statusCode = 0, statusMessage = '' }: IncomingMessage,
  { where, path, hasUser }: { where: string; path: string; hasUser: boolean },
): string {
  if (statusCode === 407 && hasUser) return `${where} does not accept the user name and the password`
  if (statusCode === 407)
    return `${where} wants a user name and a password. Enrol with --proxy http://USER:PASSWORD@HOST:PORT`
  const status = `${statusCode} ${statusMessage.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 100)}`.trim()
  if (statusCode >= 500) return `${where} does not reach ${path} (${status})`
  return `${where} does not allow connections to ${path} (${status})`
}

const FAILURES: Partial<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS is not available',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'it did not respond in time',
}

function describeFailure(cause: Error): string {
  return ('code' in cause ? FAILURES[String(cause.code)] : undefined) ?? describeError(cause)
}
