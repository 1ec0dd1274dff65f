/** What the engine does in the background, each with a queue of its own. */
export const QUEUE_NAMES = ['dispatch', 'status', 'label', 'delivery'] as const;

export type QueueName = (typeof QUEUE_NAMES)[number];
