import { config } from 'zod'

// Zod compiles a function per schema. The agent does not need that speed, and saves 0.5 MB without it.
config({ jitless: true })

interface Lazy {
  create: () => object
  schema?: object
}

const HANDLER: ProxyHandler<Lazy> = {
  get: (lazy, name) => Reflect.get((lazy.schema ??= lazy.create()), name),
  has: (lazy, name) => Reflect.has((lazy.schema ??= lazy.create()), name),
}

/** Stands for a schema that is created on first use. The build inserts the calls (deploy/lazy-schemas.mjs). */
export function lazySchema<Schema extends object>(create: () => Schema): Schema {
  // Each read of the proxy is a read of the schema.
  return new Proxy<Lazy>({ create }, HANDLER) as unknown as Schema
}
