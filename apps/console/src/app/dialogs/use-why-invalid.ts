import type { UseFormReturnType } from '@mantine/form'
import { useSyncExternalStore } from 'react'

/** Why the form cannot be sent, with the labels of the invalid fields; undefined when it is valid. */
export function useWhyInvalid<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  formId: string,
): string | undefined {
  const isValid = form.isValid()
  // Only the document knows the labels and the visible fields. React reads it again after each render.
  const labels = useSyncExternalStore(subscribe, () =>
    isValid ? '' : invalidLabels(form, formId).join(', '),
  )
  if (isValid) return undefined
  return labels === '' ? 'Some fields are missing or invalid.' : `Missing or invalid: ${labels}`
}

/** Labels change with a render only. */
const subscribe = () => () => undefined

function invalidLabels<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  formId: string,
): string[] {
  const fields = document.getElementById(formId)?.querySelectorAll<HTMLInputElement>('[data-path]') ?? []
  return Array.from(fields).flatMap((field) => {
    // Paths of the form's own values.
    if (form.isValid(field.dataset.path as never)) return []
    const label = field.labels?.[0]?.textContent ?? field.getAttribute('aria-label')
    return label === null || label === '' ? [] : [label.replace(/\s*\*$/, '')]
  })
}
