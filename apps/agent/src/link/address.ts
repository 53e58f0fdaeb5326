/** The address of `path` on a server, which may itself live below a path. */
export function serverAddress(serverUrl: string, path: string): URL {
  return new URL(serverUrl.replace(/\/+$/, '') + path)
}

export function linkAddress(serverUrl: string, path: string): URL {
  const url = serverAddress(serverUrl, path)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url
}
