/** The address of `path` on a server, which may itself live below a path. */
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
 * Masks (RFC 6455, 5.3) guard caches between a browser and a server against what a page sends. Where nothing between
 * can read along, the bytes go as they are: the agent runs without a compiler, and masking held a stream to 23 MB/s.
 */
export function needsMasks(serverUrl: string): boolean {
  return new URL(serverUrl).protocol !== 'https:' && !isLoopback(serverUrl)
}
