// Put by the bench into the page that it looks at, before the page's own scripts. Plain JavaScript: nothing else here
// knows a document.
const PATIENCE_MS = 10_000

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

// A message that is posted in a frame arrives after that frame was painted.
async function painted() {
  await nextFrame()
  const { port1, port2 } = new MessageChannel()
  await new Promise((resolve) => {
    port1.onmessage = resolve
    port2.postMessage(0)
  })
  return performance.now()
}

const rowCount = () => document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')

window.watch = {
  /** Milliseconds from the navigation until the first row of the table was painted. */
  firstRowMs: new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('[role=grid] [data-row]') === null) return
      observer.disconnect()
      void painted().then(resolve)
    })
    observer.observe(document, { childList: true, subtree: true })
  }),
  /** Milliseconds from the next input event until the table has another number of rows and they are painted. */
  async nextCount() {
    const before = rowCount()
    const event = await new Promise((resolve) =>
      document.addEventListener('input', resolve, { once: true, capture: true }),
    )
    while (rowCount() === before) {
      if (performance.now() - event.timeStamp > PATIENCE_MS)
        throw new Error('the number of rows did not change')
      await nextFrame()
    }
    return (await painted()) - event.timeStamp
  },
  /** Milliseconds between frames, for so long. */
  async frames(durationMs) {
    const gapsMs = []
    const startedMs = await nextFrame()
    for (let last = startedMs; last - startedMs < durationMs;) {
      const now = await nextFrame()
      gapsMs.push(now - last)
      last = now
    }
    return gapsMs
  },
}
