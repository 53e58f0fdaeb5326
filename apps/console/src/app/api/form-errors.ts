import type { FormErrors, UseFormReturnType } from '@mantine/form'
import { ApiError } from '@muster/contract/client'

/** The errors that belong to fields of the form; the API names nested ones (`client.name`), the form's last part counts. */
export function fieldErrors(error: unknown, values: Record<string, unknown>): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const known = Object.entries(error.fields).flatMap(([path, [message]]): [string, string][] => {
    const name = path in values ? path : (path.split('.').at(-1) ?? path)
    return name in values && message !== undefined ? [[name, message]] : []
  })
  return Object.fromEntries(known)
}

/** For a form's failed submit: the keyboard goes to where the first mistake is. */
export function focusFirstError(form: Pick<UseFormReturnType<never>, 'getInputNode'>) {
  return (errors: FormErrors): void => {
    const [first] = Object.keys(errors)
    // The form knows its own paths; they are the errors' keys.
    if (first !== undefined) form.getInputNode(first as never)?.focus()
  }
}
