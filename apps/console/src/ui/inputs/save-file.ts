/** Saves a text as a file. */
export function saveFile(name: string, text: string, type = 'text/plain'): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  // In the page, or some browsers do nothing.
  document.body.append(link)
  link.click()
  link.remove()
  // The browser holds the data itself once the download has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
