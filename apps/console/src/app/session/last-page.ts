/** This tab's visible or loading page, for /expired to remember: the router's state has moved on when a guard runs. */
let lastPage: string | undefined

export function notePage(href: string): void {
  if (!/^\/(login|expired)\b/.test(href)) lastPage = href
}

/** The last requested page other than sign-in and sign-out. */
export const lastPageShown = (): string | undefined => lastPage

let ledByOtherTab = false

/** The redirect to /expired comes from another tab, which remembers the page itself. */
export function noteOtherTab(): void {
  ledByOtherTab = true
}

/** The page to remember on entering /expired. */
export function takePageToRemember(): string | undefined {
  const page = ledByOtherTab ? undefined : lastPage
  ledByOtherTab = false
  return page
}
