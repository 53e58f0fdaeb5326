import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { ROOT } from './program.ts'

// "No violations" of the levels that WCAG 2.2 AA is made of.
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const OPTIONS = {
  runOnly: { type: 'tag', values: TAGS },
  // Without writing down each node that is right, which takes longer than finding it so.
  resultTypes: ['violations'],
  // No rule of these levels reads style sheets, which would be read again at each look.
  preload: { assets: ['media'] },
}
// The one that @axe-core/playwright brings. JavaScript without types: only this part is used.
const AXE = createRequire(import.meta.resolve('@axe-core/playwright'))('axe-core') as { source: string }

/** Each of both themes and both widths once: what a theme breaks it breaks in any width, and the other way round. */
const WIDE_AND_DARK = { colorScheme: 'dark', viewport: { width: 1440, height: 900 } } as const
const NARROW_AND_LIGHT = { colorScheme: 'light', viewport: { width: 390, height: 844 } } as const
export const LOOKS = [WIDE_AND_DARK, NARROW_AND_LIGHT] as const
export type Look = (typeof LOOKS)[number]

/** How a console is opened for a story about looks: `openConsole({ ...FIRST_LOOK, as: admin })`. */
export const FIRST_LOOK = { ...WIDE_AND_DARK, reducedMotion: 'reduce' as const }

export function isNarrow({ viewport }: Look): boolean {
  return viewport.width < 900
}

/** Changes theme and width of an open page, as its user and their window manager can. */
export async function wear(page: Page, { colorScheme, viewport }: Look): Promise<void> {
  await page.setViewportSize(viewport)
  await page.evaluate(switchTo(colorScheme))
}

/**
 * Clicks the switch of the header, even under a dialog. A page without one receives what another tab would send it, and
 * again if the user's own theme arrives after it. Then waits for the frames in which media queries and React change the
 * page.
 */
const switchTo = (theme: string) => `(async (theme) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const isOn = () => document.documentElement.dataset.mantineColorScheme === theme
  const news = { key: 'mantine-color-scheme-value', newValue: theme, storageArea: localStorage }
  do {
    if (!isOn()) {
      const header = document.querySelector('[aria-label="' + (theme === 'dark' ? 'Dark' : 'Light') + ' mode"]')
      if (header === null) dispatchEvent(new StorageEvent('storage', news))
      else header.click()
    }
    await frame()
    await frame()
  } while (!isOn())
})('${theme}')`

/** The part of a page that is a dialog, without the screen beneath, which has a check of its own. */
export const DIALOG = '[role=dialog]'

/**
 * In each look, first in the one that the page has: waits for these words, and notes every violation. The page keeps the
 * other look, so that each place is visited once.
 */
export async function expectAccessibleInAllLooks(
  page: Page,
  where: string,
  shows: string | RegExp | ((look: Look) => string),
  part?: string,
): Promise<void> {
  const width = page.viewportSize()?.width
  const within = part === DIALOG ? page.locator(DIALOG) : page
  for (const look of WIDE_AND_DARK.viewport.width === width ? LOOKS : LOOKS.toReversed()) {
    await wear(page, look)
    const words = typeof shows === 'function' ? shows(look) : shows
    await within.getByText(words).filter({ visible: true }).first().waitFor()
    await expectSettled(page)
    await expectAccessible(page, `${where} (${nameOf(look)})`, part)
  }
}

/** "dark, 1440 px". */
export function nameOf({ colorScheme, viewport }: Look): string {
  return `${colorScheme}, ${viewport.width} px`
}

/** Notes every violation; the story goes on, so that one run lists all of them. There are no frames. */
export async function expectAccessible(page: Page, where: string, part = 'body'): Promise<void> {
  // Half a megabyte of rules is handed to a page once, not at each look.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE.source)
  await page.evaluate(untilStill)
  expect.soft(await page.evaluate(listViolations(part)), where).toEqual([])
}

/** Returns the violations alone: to hand over the rest of the report takes as long as to find it. */
const listViolations = (part: string) => `axe
  .run(${JSON.stringify({ include: [[part]] })}, ${JSON.stringify(OPTIONS)})
  .then(({ violations }) => violations.map(({ id, help, nodes }) => ({
    rule: id + ': ' + help,
    at: nodes.slice(0, 3).map(({ target, failureSummary }) => target.join(' ') + ' ' + (failureSummary ?? '')),
  })))`

/** The names of all dialogs that have an address, as the console's features register them. */
export function listDialogNames(): string[] {
  const features = join(ROOT, 'apps/console/src/features')
  return globSync('*/register.ts', { cwd: features }).flatMap((path) => {
    const dialogs = readFileSync(join(features, path), 'utf8').matchAll(/^ {2}'?([\w-]+)'?: \(\) =>/gm)
    return [...dialogs].map(([, name]) => name ?? '')
  })
}

/**
 * Waits until the screen has what it shows. The axe stories wait with `waitFor`: an assertion writes down the whole page
 * at each attempt that fails, which takes as long as the next screen.
 */
export async function expectSettled(page: Page): Promise<void> {
  await page.getByRole('main').waitFor()
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
}

// A colour on its way is neither of the two. Colours that are inherited follow those of the parent, a frame later each.
const untilStill = `(async () => {
  const isFinite = ({ effect }) => effect.getComputedTiming().endTime !== Infinity
  for (;;) {
    const moving = document.getAnimations().filter(isFinite)
    if (moving.length === 0) return
    await Promise.all(moving.map(({ finished }) => finished.catch(() => {})))
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
})()`
