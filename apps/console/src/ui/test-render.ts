import type { ReactNode } from 'react'
import { render as start } from 'vitest-browser-react'

/** Renders a part of the console, and waits until it is on the page: React as users get it has no `act`. */
export async function render(part: ReactNode) {
  const screen = await start(part)
  await nextFrame()
  return {
    ...screen,
    rerender: async (changed: ReactNode) => {
      await screen.rerender(changed)
      await nextFrame()
    },
  }
}

// Taken before a test puts a clock of its own in their place.
const onFrame = requestAnimationFrame
const later = setTimeout
const nextFrame = () => new Promise((resolve) => onFrame(() => later(resolve)))
