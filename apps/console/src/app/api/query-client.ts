import { ApiError } from '@muster/contract/client'
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import { quietly } from './api.ts'
import { describeError, isAborted, isPending, isRefused } from './describe-error.ts'
import { notify } from '../shell/notify.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Polled in the background: does not show the loading bar. */
      quiet?: boolean
      /** Name of the data, for the browser's log when it cannot be loaded. The screen shows the error as well. */
      logged?: string
    }
    mutationMeta: {
      /** The form shows its errors at its fields; no notification. */
      errorsShown?: boolean
    }
  }
}

export function createQueryClient(): QueryClient {
  return new ConsoleQueryClient({
    defaultOptions: {
      queries: {
        // The live connection marks data as stale; this covers what it misses.
        staleTime: 5 * 60_000,
        refetchOnWindowFocus: false,
        // The server is often on the same machine or network: it can respond while the browser believes it is offline.
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && isPassing(error),
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always' },
    },
    queryCache: new QueryCache({
      // A failed first load is a state of its screen. Data on screen stays and gets older; the banner reports a lost
      // server.
      onError: (error, failed) => {
        logFailure(failed.meta?.logged, error)
        const isUpdate = failed.state.data !== undefined && failed.getObserversCount() > 0
        const isShown = failed.meta?.logged !== undefined
        if (
          isUpdate &&
          !isShown &&
          error instanceof ApiError &&
          (error.status >= 500 || error.code === 'timeout')
        )
          notifyError(error)
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (mutation.meta?.errorsShown === true || isLedElsewhere(error)) return
        notifyError(error)
      },
    }),
  })
}

class ConsoleQueryClient extends QueryClient {
  /**
   * Also asks again where the first response is still under way: it may be from before the change, and TanStack Query
   * would take it as current.
   */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const early = this.getQueryCache()
      .findAll(filters)
      .filter(({ state }) => state.fetchStatus === 'fetching' && state.data === undefined)
    // Without options, this is the promise of the pending request.
    const responses = Promise.allSettled(early.map((query) => query.fetch()))
    await super.invalidateQueries(filters, options)
    if (early.length === 0) return
    await responses
    await quietly(() => super.invalidateQueries({ predicate: (query) => early.includes(query) }, options))
  }
}

/** Once for each load that finally failed. Sign-in, missing permissions and newer requests are no failures. */
function logFailure(what: string | undefined, error: unknown): void {
  if (what === undefined || isAborted(error) || isRefused(error) || isLedElsewhere(error)) return
  // eslint-disable-next-line no-console -- the specification asks for a logged line.
  console.error(`Failed to load ${what}: ${describeError(error).message}`)
}

/** Shows a failure of the user's own action. */
function notifyError(error: unknown): void {
  if (isAborted(error)) return
  const { message, caption } = describeError(error)
  notify(message, { tone: 'negative', ...(caption === undefined ? {} : { caption }) })
}

/** A 401, a required password change or a missing second factor leads to another page or dialog with its own message. */
function isLedElsewhere(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || isPending(error))
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 'network' || error.code === 'timeout' || error.status >= 500)
  )
}
