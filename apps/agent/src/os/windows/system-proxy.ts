import type { SystemProxy } from '../../link/proxy.ts'
import { findData } from './registry/read-values.ts'
import { findKey } from './registry/registry-key.ts'

const KEY = 'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Connections'

/** The proxy that `netsh winhttp set proxy` has set for services. Proxies of users are for their programs only. */
export async function findSystemProxy(): Promise<SystemProxy | undefined> {
  using key = await findKey(KEY)
  const found = key === undefined ? undefined : findData(key, 'WinHttpSettings')
  return found === undefined ? undefined : decodeWinHttp(found.data)
}

const FLAGS_AT = 8
const TEXTS_AT = 12
const USES_PROXY = 2

/** Version, counter and flags, each of 32 bits; then the proxy and its exceptions, each after its length. */
export function decodeWinHttp(data: Buffer): SystemProxy | undefined {
  if (data.length < TEXTS_AT || (data.readUInt32LE(FLAGS_AT) & USES_PROXY) === 0) return undefined
  const readAt = (at: number) => {
    if (at + 4 > data.length) return { text: '', end: at }
    const end = at + 4 + data.readUInt32LE(at)
    return { text: data.toString('latin1', at + 4, Math.min(end, data.length)), end }
  }
  const proxy = readAt(TEXTS_AT)
  return proxy.text === '' ? undefined : { proxy: proxy.text, bypass: readAt(proxy.end).text }
}
