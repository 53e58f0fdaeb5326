interface KeyboardLock {
  lock?: () => Promise<void>
}

/**
 * Shows an element on the whole screen, and takes keys that the browser and this computer keep otherwise, where the
 * browser lets it. False = it has no full screen.
 */
export async function enterFullScreen(element: HTMLElement | null): Promise<boolean> {
  if (element === null || !document.fullscreenEnabled) return false
  try {
    await element.requestFullscreen()
  } catch {
    return false
  }
  // In Chromium only, over TLS, and in no type.
  const { keyboard } = navigator as unknown as { keyboard?: KeyboardLock }
  try {
    await keyboard?.lock?.()
  } catch {
    // The menu of keys sends what is not taken.
    return true
  }
  return true
}
