import type { createService } from './create-service.ts';

export type Service = ReturnType<typeof createService>;
