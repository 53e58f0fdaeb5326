// Loaded into a server that is measured, before its own program: writes down each time that it could do nothing else.
import { appendFileSync } from 'node:fs'

const EVERY_MS = 2
const WORTH_A_LINE_MS = 5

const file = process.env['PAUSE_FILE']
let last = performance.now()
const timer = setInterval(() => {
  const now = performance.now()
  const pauseMs = now - last - EVERY_MS
  if (pauseMs > WORTH_A_LINE_MS && file !== undefined) {
    appendFileSync(file, `${Date.now()} ${pauseMs.toFixed(1)}\n`)
  }
  last = performance.now()
}, EVERY_MS)
timer.unref()
