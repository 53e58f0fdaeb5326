import type { FormErrors, UseFormReturnType } from '@mantine/form'
import { ApiError } from '@muster/contract/client'

/** The errors that belong to fields of the form. For nested API names (`client.name`) the last part counts. */
export function fieldErrors(error: unknown, values: Record<string, unknown>): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const known = Object.entries(error.fields).flatMap(([path, [message]]): [string, string][] => {
    const name = path in values ? path : (path.split('.').at(-1) ?? path)
    return name in values && message !== undefined ? [[name, message]] : []
  })
  return Object.fromEntries(known)
}

/** For a failed submit: moves the focus to the first invalid field. */
export function focusFirstError(form: Pick<UseFormReturnType<never>, 'getInputNode'>) {
  return (errors: FormErrors): void => {
    const [first] = Object.keys(errors)
    // The keys of the errors are paths of the form.
    if (first !== undefined) form.getInputNode(first as never)?.focus()
  }
}
