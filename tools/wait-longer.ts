// A setup file of every project: what `vi.waitFor` waits by default, one second, is too short beside other suites, and
// no setting changes it.
import { vi } from 'vitest'
import { PATIENCE_MS } from './patience.ts'

const { waitFor, waitUntil } = vi
const patient = (options: number | { timeout?: number } | undefined) =>
  typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options }

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
