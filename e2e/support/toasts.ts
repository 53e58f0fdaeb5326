import { type BrowserContext, expect, type Page } from '@playwright/test'

/** Keeps the text of each toast in the page: one that stays for two seconds can pass unseen on a busy machine. */
export async function keepToasts(context: BrowserContext): Promise<void> {
  await context.addInitScript(`
    window.toasts = []
    new MutationObserver(() => {
      for (const toast of document.querySelectorAll('[data-position] > [data-tone]')) {
        if (!window.toasts.includes(toast.innerText)) window.toasts.push(toast.innerText)
      }
    }).observe(document, { childList: true, subtree: true })
  `)
}

/** Waits until the page has shown a toast with the text since it was loaded. */
export async function expectToast(page: Page, text: string): Promise<void> {
  await expect
    .poll(() => page.evaluate<string[]>('window.toasts'))
    .toContainEqual(expect.stringContaining(text))
}
