export declare const serverFlags: string[]
export declare const serverMemory: Record<string, string>
