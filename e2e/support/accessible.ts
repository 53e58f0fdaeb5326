import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { ROOT } from './program.ts'

// "No violations" of the levels that WCAG 2.2 AA is made of.
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Each of both themes and both widths once: what a theme breaks it breaks in any width, and the other way round. */
export const TWO_LOOKS = (
  [
    { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
    { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  ] as const
).map((look) => ({ ...look, reducedMotion: 'reduce' as const }))

/** "dark, 1440 px". */
export function nameOf({ colorScheme, viewport }: (typeof TWO_LOOKS)[number]): string {
  return `${colorScheme}, ${viewport.width} px`
}

/** Notes every violation; the story goes on, so that one run lists all of them. */
export async function expectAccessible(page: Page, where: string, part = 'body'): Promise<void> {
  const { violations } = await new AxeBuilder({ page, ...(await sourceFor(page)) })
    // Without writing down each node that is right, which takes longer than finding it so.
    .options({ resultTypes: ['violations'] })
    .include(part)
    .withTags(TAGS)
    // Without a second page for each look at the first; there are no frames of other origins.
    .setLegacyMode(true)
    .analyze()
  const found = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    at: nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`),
  }))
  expect.soft(found, where).toEqual([])
}

/** Half a megabyte of rules is handed to a page once, not at each look. */
async function sourceFor(page: Page): Promise<{ axeSource?: string }> {
  return (await page.evaluate("'axe' in window")) ? { axeSource: ';' } : {}
}

/** Goes to a path as a link of the console itself would, without a reload. */
export async function follow(page: Page, path: string): Promise<void> {
  // Before there is a screen nobody listens.
  await page.getByRole('main').waitFor()
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

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
