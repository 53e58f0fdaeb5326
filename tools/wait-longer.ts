// A setup file of every project: what `vi.waitFor` waits by default, one second, is too short beside other suites, and
// no setting changes it.
import { vi } from 'vitest'

const TIMEOUT_MS = 120_000

const { waitFor, waitUntil } = vi
const patient = (options: number | { timeout?: number } | undefined) =>
  typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options }

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
