/** The URL of `path` on a server, which may have a base path. */
export function serverAddress(serverUrl: string, path: string): URL {
  return new URL(serverUrl.replace(/\/+$/, '') + path)
}

export function linkAddress(serverUrl: string, path: string): URL {
  const url = serverAddress(serverUrl, path)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url
}

export function isLoopback(serverUrl: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(serverUrl).hostname)
}

/**
 * Masks (RFC 6455, 5.3) protect proxies from content that web pages send. On an encrypted link they have no use, so
 * bytes are sent unmasked: the agent runs without JIT compilers, and masking limited a stream to 23 MB/s.
 */
export function needsMasks(serverUrl: string): boolean {
  return new URL(serverUrl).protocol !== 'https:' && !isLoopback(serverUrl)
}
