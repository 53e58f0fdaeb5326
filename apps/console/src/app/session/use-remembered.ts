import { useLocalStorage } from '@mantine/hooks'
import type { z } from 'zod'

/** A choice stored in this browser. Invalid stored values count as absent. */
export function useRemembered<Value>(key: string, schema: z.ZodType<Value>, usual: Value) {
  const [value, remember] = useLocalStorage<Value>({
    key,
    defaultValue: usual,
    getInitialValueInEffect: false,
    deserialize: (text) => schema.safeParse(parseJson(text)).data ?? usual,
  })
  return [value, remember] as const
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    // Storage can hold anything.
    return undefined
  }
}
