// Put by the bench into the page that shows a desktop. Plain JavaScript: nothing else here knows a document.
const PATIENCE_MS = 10_000

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/** A strip of the machine's screen, as a number that differs when it does. */
function strip() {
  const canvas = document.querySelector('canvas')
  const [left, top, width, height] = screenWatch.area
  const { data } = canvas.getContext('2d').getImageData(left, top, width, height)
  let sum = 0
  for (let index = 0; index < data.length; index += 4) sum = (sum * 31 + data[index]) | 0
  return sum
}

window.screenWatch = {
  /** Left, top, width and height of the strip: the default is at the top of the screen. */
  area: [0, 0, 600, 24],
  strip,
  /** How many pictures a second are drawn, each other than the one before it. */
  async pictures(forMs) {
    const startedMs = performance.now()
    let count = 0
    let last = strip()
    while (performance.now() - startedMs < forMs) {
      await nextFrame()
      const now = strip()
      if (now !== last) count += 1
      last = now
    }
    return (count * 1000) / (performance.now() - startedMs)
  },
  /** Until the strip moves. */
  async moves() {
    const startedMs = performance.now()
    const before = strip()
    while (strip() === before) {
      if (performance.now() - startedMs > PATIENCE_MS) throw new Error('the picture does not move')
      await nextFrame()
    }
  },
  /** Milliseconds from the next key that is pressed until the strip is another one. */
  async nextKey() {
    const before = strip()
    const event = await new Promise((resolve) =>
      document.addEventListener('keydown', resolve, { once: true, capture: true }),
    )
    while (strip() === before) {
      if (performance.now() - event.timeStamp > PATIENCE_MS) throw new Error('the picture did not change')
      await nextFrame()
    }
    return performance.now() - event.timeStamp
  },
}
