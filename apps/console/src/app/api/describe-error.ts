import { ApiError } from '@muster/contract/client'

export interface ErrorDescription {
  message: string
  /** The next step, and the request id to find in the server's log. */
  caption: string | undefined
}

/** Any failure as a sentence, with a caption that helps to find its cause. */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof ApiError)) {
    return {
      message: 'Something went wrong in the console. Reload the page and try again.',
      caption: undefined,
    }
  }
  const requestId = error.requestId === undefined ? undefined : `Request ${error.requestId}`
  if (error.code === 'network') {
    return { message: error.message, caption: 'Check the connection and try again.' }
  }
  if (error.code === 'timeout')
    return { message: error.message, caption: 'Check the result before you try again.' }
  if (error.status >= 500) {
    return {
      message: error.message,
      caption: [requestId, 'Try again in a moment.'].filter(Boolean).join('. '),
    }
  }
  return { message: error.message, caption: error.code === 'unreadable' ? requestId : undefined }
}

/** Whether the role does not allow the request. Shown in place, as a state of the screen. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && !isPending(error)

/** Whether the user must change the password or set up the second factor first, on a page of its own. */
export const isPending = ({ code }: ApiError): boolean =>
  code === 'totp_required' || code === 'password_change_required'

/** Whether the request was cancelled by a newer one or by leaving the page; such errors are not shown. */
export const isAborted = (error: unknown): boolean => error instanceof ApiError && error.code === 'aborted'
