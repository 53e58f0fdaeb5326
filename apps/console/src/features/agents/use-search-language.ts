import { useEffect, useState } from 'react'

async function load() {
  const [language, suggest] = await Promise.all([
    import('./search-language.ts'),
    import('./suggest-search.ts'),
  ])
  return { ...language, ...suggest }
}

/** The functions of the search language. The first screen does without them. */
export type SearchLanguage = Awaited<ReturnType<typeof load>>

let loading: Promise<SearchLanguage> | undefined
let loaded: SearchLanguage | undefined

/** Loads the search language ahead of its use. */
export async function loadSearchLanguage(): Promise<SearchLanguage> {
  loading ??= load()
  try {
    loaded = await loading
    return loaded
  } catch (error) {
    loading = undefined
    throw error
  }
}

/** The search language, once it is wanted and loaded; or why it cannot be loaded, as a sentence. */
export function useSearchLanguage(isWanted: boolean): { language?: SearchLanguage; problem?: string } {
  const [state, setState] = useState<{ language?: SearchLanguage; problem?: string }>({})
  useEffect(() => {
    if (!isWanted || loaded !== undefined) return undefined
    let isGone = false
    loadSearchLanguage().then(
      (language) => {
        if (!isGone) setState({ language })
      },
      () => {
        if (!isGone) setState({ problem: 'The search could not be loaded. Reload the page.' })
      },
    )
    return () => {
      isGone = true
    }
  }, [isWanted])
  return loaded === undefined ? state : { language: loaded }
}
