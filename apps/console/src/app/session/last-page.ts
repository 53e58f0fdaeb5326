/** The page of this tab that is on screen or loading, for /expired to remember: the router's own state has moved on when a guard runs. */
let lastPage: string | undefined

export function notePage(href: string): void {
  if (!/^\/(login|expired)\b/.test(href)) lastPage = href
}

/** The last page asked for that was neither sign-in nor sign-out. */
export const lastPageShown = (): string | undefined => lastPage

let ledByOtherTab = false

/** The way to /expired that is about to be gone was another tab's: that tab remembers where to go on. */
export function noteOtherTab(): void {
  ledByOtherTab = true
}

/** The page to remember on entering /expired. */
export function takePageToRemember(): string | undefined {
  const page = ledByOtherTab ? undefined : lastPage
  ledByOtherTab = false
  return page
}
