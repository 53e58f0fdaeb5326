import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

const RELOADED_KEY = 'muster reloaded'
/** A chunk still missing this soon after a reload is really missing. */
const RELOAD_AGAIN_AFTER_MS = 10_000

/** A component that loads on demand. When the server has a newer console by then, the page reloads. */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch (error) {
      if (!reloadOnce()) throw error
      // Until the browser has left this page.
      return new Promise<never>(() => undefined)
    }
  })
}

function reloadOnce(): boolean {
  const lastMs = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0)
  if (Date.now() - lastMs < RELOAD_AGAIN_AFTER_MS) return false
  sessionStorage.setItem(RELOADED_KEY, `${Date.now()}`)
  location.reload()
  return true
}
