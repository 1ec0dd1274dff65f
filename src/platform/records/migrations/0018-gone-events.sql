-- Of a shipment that is gone (it was created anew, or moved to another carrier): what it told is not true of the next.
alter table events add gone boolean;
